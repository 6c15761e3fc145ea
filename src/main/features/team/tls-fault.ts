/** What is wrong with a TLS connection, without the advice that Node adds for those who start it with options. */
export const tlsFault = (message: string): string => message.split('; if the root CA')[0]

/** What a log entry is about, for programs that read the log: names of JSON fields and their values. */
export type LogFacts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

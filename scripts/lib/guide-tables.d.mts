/** A page of the guide with its tables written anew. Throws where it names a table that is not there. */
export function withTables(page: string): string
/** Names of the tables in a page. */
export function tablesIn(page: string): readonly string[]
/** Text of each table by its name. */
export const TABLES: Readonly<Record<string, () => string>>
/** Every chord that a command has, as it is written in the guide. */
export const CHORDS: ReadonlySet<string>

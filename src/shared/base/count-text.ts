/** A number with what it counts: "1 row", "2 rows". English, for the command line and the log; windows use their catalog. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** Formats of times in tables: what the command line explains and the import dialog offers. */

/** Formats that banks and exchanges use, each with the same instant written in it. Any other can be typed. */
export const COMMON_DATE_FORMATS = [
  { format: 'DD.MM.YYYY HH:mm:ss', example: '31.12.2026 14:30:15' },
  { format: 'DD/MM/YYYY HH:mm:ss', example: '31/12/2026 14:30:15' },
  { format: 'MM/DD/YYYY HH:mm:ss', example: '12/31/2026 14:30:15' },
  { format: 'MM/DD/YYYY hh:mm:ss A', example: '12/31/2026 02:30:15 PM' },
  { format: 'YYYY/MM/DD HH:mm:ss', example: '2026/12/31 14:30:15' },
  { format: 'YYYYMMDD HHmmss', example: '20261231 143015' },
  { format: 'DD MMM YYYY HH:mm:ss', example: '31 Dec 2026 14:30:15' },
] as const

/** The tokens of a format, as help and errors name them. */
export const DATE_FORMAT_TOKENS = 'YYYY MM M MMM DD D HH H hh h mm ss SSS (fraction) A (AM or PM) Z (offset)'

/** The tokens and one format made of them. */
export const DATE_FORMAT_HELP = `${DATE_FORMAT_TOKENS}, such as "${COMMON_DATE_FORMATS[0].format}.SSS"`

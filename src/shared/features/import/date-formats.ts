/** Time formats of tables, for the command line's help and the import dialog. */

/** Formats used by banks and exchanges, each showing the same time. Others can be typed. */
export const COMMON_DATE_FORMATS = [
  { format: 'DD.MM.YYYY HH:mm:ss', example: '31.12.2026 14:30:15' },
  { format: 'DD/MM/YYYY HH:mm:ss', example: '31/12/2026 14:30:15' },
  { format: 'MM/DD/YYYY HH:mm:ss', example: '12/31/2026 14:30:15' },
  { format: 'MM/DD/YYYY hh:mm:ss A', example: '12/31/2026 02:30:15 PM' },
  { format: 'YYYY/MM/DD HH:mm:ss', example: '2026/12/31 14:30:15' },
  { format: 'YYYYMMDD HHmmss', example: '20261231 143015' },
  { format: 'DD MMM YYYY HH:mm:ss', example: '31 Dec 2026 14:30:15' },
] as const

/** The tokens of a format, for help and errors. */
const DATE_FORMAT_TOKENS = 'YYYY MM M MMM DD D HH H hh h mm ss SSS (fraction) A (AM or PM) Z (offset)'

/** The tokens with an example. */
export const DATE_FORMAT_HELP = `${DATE_FORMAT_TOKENS}, such as "${COMMON_DATE_FORMATS[0].format}.SSS"`

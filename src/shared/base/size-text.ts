/** A size as commands, logs and problems write it: "312.0 MB", "4.7 GB". */
export const sizeText = (bytes: number): string =>
  bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`

/** Sizes of files, as people read them. */

const unit = (name: 'kilobyte' | 'megabyte') =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: 1 });
const [kilobytes, megabytes] = [unit('kilobyte'), unit('megabyte')];

export const formatSize = (bytes: number): string =>
  bytes < 1_000_000 ? kilobytes.format(bytes / 1000) : megabytes.format(bytes / 1_000_000);

/** How a file was read: encoding, separator, quotes and whether its first row holds titles, each to be corrected. */
import { Select, Switch } from '@shell/components';
import type { Choices, Preview, Quote } from './importing';

/** Available encodings, with their origin if the name doesn't say it. */
const ENCODINGS: Readonly<Record<string, string>> = {
  'UTF-8': '',
  'UTF-16LE': '',
  'UTF-16BE': '',
  'windows-1252': 'Western Europe',
  macintosh: 'classic Mac OS',
  'windows-1250': 'Central Europe',
  'windows-1251': 'Cyrillic',
  'windows-1253': 'Greek',
  'windows-1254': 'Turkish',
  'windows-1255': 'Hebrew',
  'windows-1256': 'Arabic',
  'windows-1257': 'Baltic',
  'windows-874': 'Thai',
  'ISO-8859-2': 'Central Europe',
  'ISO-8859-15': 'Western Europe',
  IBM866: 'Cyrillic, DOS',
  'KOI8-R': 'Cyrillic',
  'x-mac-cyrillic': 'Cyrillic, classic Mac OS',
  Shift_JIS: 'Japanese',
  'EUC-JP': 'Japanese',
  'EUC-KR': 'Korean',
  GBK: 'Chinese',
  gb18030: 'Chinese',
  Big5: 'Chinese',
};
const DELIMITERS: Readonly<Record<string, string>> = {
  ',': 'Commas',
  ';': 'Semicolons',
  '\t': 'Tabs',
  '|': 'Pipes',
  ':': 'Colons',
  ' ': 'Spaces',
};
const QUOTES: readonly { value: Quote; label: string }[] = [
  { value: '"', label: 'Double quotes "' },
  { value: "'", label: "Single quotes '" },
  { value: 'none', label: 'None' },
];

/** Options of a list, including a detected value that isn't in it. */
function options(of: Readonly<Record<string, string>>, found: string, label: (value: string, words: string) => string) {
  return Object.entries(found in of ? of : { ...of, [found]: '' }).map(([value, words]) => ({
    value,
    label: label(value, words),
  }));
}

interface ReadingProps {
  preview: Preview;
  onChoose: (more: Choices) => void;
}

export function Reading({ preview, onChoose }: ReadingProps) {
  const isText = preview.delimiter !== '';
  if (!isText && preview.sheet === undefined) return null;
  return (
    <div className="import-reading" role="group" aria-label="File format">
      {isText && (
        <>
          <Select
            label="Encoding"
            options={options(ENCODINGS, preview.encoding, (value, words) => (words ? `${value} (${words})` : value))}
            value={preview.encoding}
            onChange={(encoding) => onChoose({ encoding })}
          />
          <Select
            label="Column separator"
            options={options(DELIMITERS, preview.delimiter, (value, words) => words || value)}
            value={preview.delimiter}
            onChange={(delimiter) => onChoose({ delimiter })}
          />
          <Select<Quote>
            label="Text quotes"
            options={QUOTES}
            value={preview.quote ?? '"'}
            onChange={(quote) => onChoose({ quote })}
          />
        </>
      )}
      <Switch isSelected={preview.hasHeader} onChange={(header) => onChoose({ header })}>
        First row has titles
      </Switch>
    </div>
  );
}

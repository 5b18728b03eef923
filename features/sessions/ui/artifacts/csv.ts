/** Reads tables as text: RFC 4180, with the separator that the first line uses. */

/** Maximum rows and columns that are shown. */
export const ROWS_MAX = 1_000;
export const COLUMNS_MAX = 100;

/** The separator of a table: the one that its first line has most of. */
function separatorOf(text: string): string {
  const first = text.slice(0, (text.indexOf('\n') + 1 || text.length + 1) - 1);
  const count = (sign: string) => first.split(sign).length - 1;
  return [',', ';', '\t'].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}

/** The rows of a table, the first ones of a long one. */
export function readTable(source: string): { rows: string[][]; isCut: boolean } {
  const text = source.replace(/^\ufeff/, '');
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.length > 1 || cell !== '') rows.push(row.slice(0, COLUMNS_MAX));
    [row, cell] = [[], ''];
  };
  for (let at = 0; at < text.length; at += 1) {
    if (rows.length > ROWS_MAX) return { rows: rows.slice(0, ROWS_MAX), isCut: true };
    const sign = text[at]!;
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') [cell, at] = [`${cell}"`, at + 1];
      else isQuoted = false;
    } else if (sign === '"' && cell === '') isQuoted = true;
    else if (sign === separator) {
      row.push(cell);
      cell = '';
    } else if (sign === '\n') endRow();
    else if (sign !== '\r') cell += sign;
  }
  endRow();
  return { rows: rows.slice(0, ROWS_MAX), isCut: rows.length > ROWS_MAX };
}

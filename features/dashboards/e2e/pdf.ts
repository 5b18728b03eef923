/** Reads what is written on the sheets of a PDF that Chromium made, and where: enough to see that nothing is missing and nothing lies over another. */
import { inflateSync } from 'node:zlib';

/** Letters that were written in one go. */
export interface Piece {
  /** From 0. */
  sheet: number;
  text: string;
  /** Of its beginning, in CSS pixels from the upper left corner. */
  left_px: number;
  baseline_px: number;
}

type Matrix = readonly [number, number, number, number, number, number];
const PLAIN: Matrix = [1, 0, 0, 1, 0, 0];
/** What `inner` does, and then `outer`. */
const times = (inner: Matrix, outer: Matrix): Matrix => [
  inner[0] * outer[0] + inner[1] * outer[2],
  inner[0] * outer[1] + inner[1] * outer[3],
  inner[2] * outer[0] + inner[3] * outer[2],
  inner[2] * outer[1] + inner[3] * outer[3],
  inner[4] * outer[0] + inner[5] * outer[2] + outer[4],
  inner[4] * outer[1] + inner[5] * outer[3] + outer[5],
];
const PX_PER_POINT = 96 / 72;
/** An object's number, its dictionary and what it streams. */
const OBJECT = /(\d+) 0 obj\n(.*?)(?:stream\n(.*?)\nendstream\n?)?endobj/gs;
const WORDS = /\/(\w+)|<([0-9A-F]*)>|\[|\]|([-\d.]+)|([A-Za-z*'"]+)/g;

/** Of each code of a font, the letters. */
function lettersOf(cmap: string): Map<string, string> {
  const letters = (hex: string) =>
    String.fromCharCode(...(hex.match(/.{4}/g) ?? []).map((unit) => Number.parseInt(unit, 16)));
  const map = new Map<string, string>();
  for (const [, each = ''] of cmap.matchAll(/beginbfchar\n(.*?)endbfchar/gs)) {
    for (const [, code = '', hex = ''] of each.matchAll(/<(\w+)> <(\w+)>/g)) map.set(code, letters(hex));
  }
  for (const [, each = ''] of cmap.matchAll(/beginbfrange\n(.*?)endbfrange/gs)) {
    for (const [, from = '', to = '', hex = ''] of each.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g)) {
      for (let at = 0; at <= Number.parseInt(to, 16) - Number.parseInt(from, 16); at += 1) {
        const hexed = (start: string) =>
          (Number.parseInt(start, 16) + at).toString(16).toUpperCase().padStart(start.length, '0');
        map.set(hexed(from), letters(hexed(hex)));
      }
    }
  }
  return map;
}

/** Everything that is written, in the order of the file. */
export function writtenIn(pdf: Buffer): Piece[] {
  const objects = new Map(
    [...pdf.toString('latin1').matchAll(OBJECT)].map(([, number = '', head = '', stream]) => [
      number,
      { head, stream },
    ]),
  );
  const streamOf = (number = '') => {
    const { head = '', stream = '' } = objects.get(number) ?? {};
    return head.includes('/FlateDecode') ? inflateSync(Buffer.from(stream, 'latin1')).toString('latin1') : stream;
  };
  const sheets = [...objects.values()].filter(({ head }) => /\/Type \/Page\n/.test(head));
  return sheets.flatMap(({ head }, sheet) => {
    const height = Number(/\/MediaBox \[0 0 [\d.]+ ([\d.]+)\]/.exec(head)?.[1]);
    const fonts = new Map(
      [...head.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', number = '']) => [
        name,
        lettersOf(streamOf(/\/ToUnicode (\d+) 0 R/.exec(objects.get(number)?.head ?? '')?.[1])),
      ]),
    );
    return written(streamOf(/\/Contents (\d+) 0 R/.exec(head)?.[1]), fonts).map(({ text, at }) => ({
      sheet,
      text,
      left_px: at[4] * PX_PER_POINT,
      baseline_px: (height - at[5]) * PX_PER_POINT,
    }));
  });
}

function written(
  content: string,
  fonts: ReadonlyMap<string, ReadonlyMap<string, string>>,
): { text: string; at: Matrix }[] {
  const pieces: { text: string; at: Matrix }[] = [];
  const kept: Matrix[] = [];
  let place = PLAIN;
  let line = PLAIN;
  let font: ReadonlyMap<string, string> = new Map();
  let name = '';
  let numbers: number[] = [];
  for (const [, named, codes, number, word] of content.matchAll(WORDS)) {
    const last = pieces.at(-1);
    if (named !== undefined) name = named;
    else if (number !== undefined) numbers.push(Number(number));
    else if (codes !== undefined) {
      const [width = 2] = [...font.keys()].map((code) => code.length);
      const text = (codes.match(new RegExp(`.{${width}}`, 'g')) ?? []).map((code) => font.get(code) ?? '').join('');
      if (last) last.text += text;
    } else if (word !== undefined) {
      const six = (): Matrix => numbers.slice(-6) as unknown as Matrix;
      if (word === 'q') kept.push(place);
      else if (word === 'Q') place = kept.pop() ?? PLAIN;
      else if (word === 'cm') place = times(six(), place);
      else if (word === 'Tf') font = fonts.get(name) ?? new Map();
      else if (word === 'Tm') {
        line = six();
        pieces.push({ text: '', at: times(line, place) });
      } else if (word === 'Td') line = times([1, 0, 0, 1, numbers.at(-2) ?? 0, numbers.at(-1) ?? 0], line);
      numbers = [];
    }
  }
  return pieces;
}

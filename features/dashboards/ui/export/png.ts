/** A picture of the whole grid, as it is seen: at twice its size, in the colors of the page. */
const SCALE = 2;
/** Longest side that every browser draws. */
const SIDE_PX_MAX = 16_384;
/** What is there to be used, and not to be looked at. */
const TOOLS =
  '.tile-tools, .tile-resize, .tile-edge, .tile-table, .only-this, .tile-state .btn, .marks-only, .marks-anchor, .dash-ghost, .app-live';

/** How much larger than on the page a picture of this size becomes. */
export const scaleOf = (width_px: number, height_px: number) =>
  Math.min(SCALE, SIDE_PX_MAX / Math.max(width_px, height_px, 1));

/** A name that every system takes for a file. */
export const fileName = (name: string, ending: string) =>
  `${
    name
      .replace(/[\\/:*?"<>|\u0000-\u001f]/g, ' ')
      .replace(/[ .]+$/, '')
      .trim() || 'dashboard'
  }.${ending}`;

const faces = (rules: CSSRuleList): CSSFontFaceRule[] =>
  [...rules].flatMap((rule) =>
    rule instanceof CSSFontFaceRule ? [rule] : rule instanceof CSSGroupingRule ? faces(rule.cssRules) : [],
  );

async function dataUrl(address: string): Promise<string> {
  const blob = await (await fetch(address)).blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error("Couldn't load a font."));
    reader.readAsDataURL(blob);
  });
}

/** The page's fonts with their files inside. The library would make a style element for this, which our policy refuses. */
async function fonts(): Promise<string> {
  const rules = [...document.styleSheets].flatMap((sheet) =>
    faces(sheet.cssRules).map((rule) => ({ text: rule.cssText, base: sheet.href ?? document.baseURI })),
  );
  const filled = rules.map(async ({ text, base }) => {
    const address = /url\(["']?([^"')]+)["']?\)/.exec(text)?.[1];
    return address ? text.replace(address, await dataUrl(new URL(address, base).href)) : text;
  });
  return (await Promise.all(filled)).join('\n');
}

/** The frame says above its widgets what is in them while it is drawn. */
async function withHead<T>(frame: HTMLElement, draw: () => Promise<T>): Promise<T> {
  frame.dataset.exported = '';
  try {
    return await draw();
  } finally {
    delete frame.dataset.exported;
  }
}

/** Draws the grid. The library that does is fetched when it is first needed. */
export const gridPng = (grid: HTMLElement): Promise<Blob> => withHead(grid, () => drawn(grid));

async function drawn(grid: HTMLElement): Promise<Blob> {
  const [{ domToBlob }, cssText] = await Promise.all([import('modern-screenshot'), fonts(), document.fonts.ready]);
  const { offsetWidth: width, offsetHeight: height } = grid;
  return domToBlob(grid, {
    type: 'image/png',
    scale: scaleOf(width, height),
    width,
    height,
    font: { cssText },
    backgroundColor: getComputedStyle(grid.closest('.dash-body') ?? document.body).backgroundColor,
    filter: (node) => !(node instanceof Element && node.matches(TOOLS)),
  });
}

/** Hands the picture to the person as a file. */
export async function savePng(name: string): Promise<void> {
  const grid = document.querySelector<HTMLElement>('.dash-frame');
  if (!grid) throw new Error('No widgets to export.');
  const address = URL.createObjectURL(await gridPng(grid));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName(name, 'png');
  link.click();
  // The download has its own hold on the picture by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

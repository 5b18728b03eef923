/** A picture of the whole grid, as it is seen: at twice its size, in the colours of the page. */
const SCALE = 2;
/** Longest side that every browser draws. */
const SIDE_PX_MAX = 16_384;
/** What is there to be used, and not to be looked at. */
const TOOLS = '.tile-tools, .tile-resize, .tile-edge, .tile-table, .marks-only, .marks-anchor, .dash-ghost';

/** How much larger than on the page a picture of this size becomes. */
export const scaleOf = (width_px: number, height_px: number) => Math.min(SCALE, SIDE_PX_MAX / Math.max(width_px, height_px, 1));

/** A name that every system takes for a file. */
export const fileName = (name: string, ending: string) => `${name.replace(/[\\/:*?"<>|\u0000-\u001f]/g, ' ').replace(/[ .]+$/, '').trim() || 'dashboard'}.${ending}`;

/** Draws the grid. The library that does is fetched when it is first needed. */
export async function gridPng(grid: HTMLElement): Promise<Blob> {
  const [{ domToBlob }] = await Promise.all([import('modern-screenshot'), document.fonts.ready]);
  const { offsetWidth: width, offsetHeight: height } = grid;
  return domToBlob(grid, {
    type: 'image/png',
    scale: scaleOf(width, height),
    width,
    height,
    backgroundColor: getComputedStyle(grid.closest('.dash-body') ?? document.body).backgroundColor,
    filter: (node) => !(node instanceof Element && node.matches(TOOLS)),
  });
}

/** Hands the picture to the person as a file. */
export async function savePng(name: string): Promise<void> {
  const grid = document.querySelector<HTMLElement>('.dash-grid');
  if (!grid) throw new Error('There is no widget to draw.');
  const address = URL.createObjectURL(await gridPng(grid));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName(name, 'png');
  link.click();
  // The download has its own hold on the picture by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

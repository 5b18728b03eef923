/**
 * Lets xterm.js draw under the page's content security policy, which has no inline styles: its style elements become
 * constructed style sheets, and the style attributes of its cells are set by the CSSOM. Both are allowed.
 */
import type { Terminal } from '@xterm/xterm';

/** An element that looks to xterm.js like a style element. */
function styleSheet(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  let text = '';
  Object.defineProperty(element, 'textContent', {
    get: () => text,
    set: (next: string) => {
      text = next;
      sheet.replaceSync(next);
    },
  });
  const remove = element.remove.bind(element);
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    remove();
  };
  return element;
}

/** A cell's element whose `style` attribute is set by the CSSOM. */
function cell(element: HTMLElement): HTMLElement {
  const setAttribute = element.setAttribute.bind(element);
  element.setAttribute = (name, value) => {
    if (name === 'style') element.style.cssText = value;
    else setAttribute(name, value);
  };
  return element;
}

/** The part of xterm.js that makes cells. It isn't public: without it, only cells with colors of their own lose them. */
interface Internals {
  _core?: {
    _renderService?: { _renderer?: { value?: { _rowFactory?: { _document: Pick<Document, 'createElement'> } } } };
  };
}

/** Opens a terminal in an element. */
export function openStyled(terminal: Terminal, parent: HTMLElement) {
  const create = document.createElement.bind(document);
  // xterm.js makes its style elements while it opens, and nothing else runs then.
  document.createElement = ((name: string, options?: ElementCreationOptions) =>
    name === 'style' ? styleSheet(create('template')) : create(name, options)) as typeof document.createElement;
  try {
    terminal.open(parent);
  } finally {
    delete (document as { createElement?: unknown }).createElement;
  }
  const factory = (terminal as unknown as Internals)._core?._renderService?._renderer?.value?._rowFactory;
  if (factory)
    factory._document = { createElement: ((name: string) => cell(create(name))) as typeof document.createElement };
}

/** The title of the tab: how many things need you, and the page. */
let page = '';
let count = 0;

function draw() {
  const name = page ? `${page} - Pilothouse` : 'Pilothouse';
  document.title = count > 0 ? `(${count}) ${name}` : name;
}

/** Names the page in view; empty for none. */
export function setPageTitle(title: string) {
  page = title;
  draw();
}

/** How many things need you. */
export function setTitleCount(needs: number) {
  count = needs;
  draw();
}

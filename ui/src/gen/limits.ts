// Generated from the limits of boards; do not edit: `cargo test -p app generated`.

/** Characters of a name, a title or a label. */
export const NAME_CHARS_MAX = 255;

/** Characters of a cell of text. */
export const TEXT_CHARS_MAX = 20000;

/** Bytes of a link. */
export const LINK_BYTES_MAX = 2048;

/** Entries of one cell of tags, people or links. */
export const ENTRIES_MAX = 100;

/** Cells that one change may write. */
export const CELLS_PER_CHANGE_MAX = 20000;

/** Characters of a comment. */
export const COMMENT_CHARS_MAX = 10000;

/** Bytes of a file. */
export const FILE_BYTES_MAX = 26214400;

/** Files of a cell. */
export const FILES_PER_CELL_MAX = 20;

/** Largest rating that a column may be set to. */
export const RATING_MAX = 10;

/** Decimals that a column of numbers shows. */
export const DECIMALS_MAX = 10;

/** Records of a page of a list. */
export const PAGE_MAX = 1000;

/** Default colors of labels and groups, in order. */
export const PALETTE = ['#4a7fd4', '#e8a33d', '#8e5bd0', '#d9455f', '#2aa5b5', '#c76b98', '#6b7f8f', '#9aad3b', '#b5763a', '#5560c9', '#7a7a7a'] as const;

/** What labels and checkboxes are called that mean done. */
export const FINISHED_WORDS = ['done', 'complete', 'completed', 'closed', 'finished', 'resolved', 'shipped', 'erledigt', 'fertig', 'abgeschlossen'] as const;

/** What labels are called that mean canceled. */
export const CANCELED_WORDS = ['canceled', 'cancelled', 'duplicate', 'duplicated', 'won\'t do', 'wont do', 'won\'t fix', 'wontfix', 'wont fix', 'will not do', 'not doing', 'not planned', 'rejected', 'declined', 'dropped', 'discarded', 'abandoned', 'obsolete', 'abgebrochen', 'abgelehnt', 'verworfen', 'storniert', 'duplikat', 'annulé', 'annulée', 'abandonné', 'abandonnée', 'rejeté', 'rejetée', 'doublon', 'cancelado', 'cancelada', 'anulado', 'anulada', 'rechazado', 'descartado', 'duplicado', 'rejeitado', 'annullato', 'annullata', 'rifiutato', 'duplicato', 'geannuleerd', 'afgewezen', 'vervallen', 'duplicaat'] as const;

/** What labels are called that mean that nobody has begun. */
export const NOT_STARTED_WORDS = ['to do', 'todo', 'open', 'new', 'backlog', 'triage', 'planned', 'ready', 'not started', 'unstarted', 'offen', 'neu', 'geplant', 'nicht begonnen'] as const;

/** The names of the months, from January on; the first three or four letters will do as well. */
export const MONTHS = [
  ['january', 'januar', 'janvier', 'enero'],
  ['february', 'februar', 'février', 'febrero'],
  ['march', 'märz', 'mrz', 'mars', 'marzo'],
  ['april', 'avril', 'abril'],
  ['may', 'mai', 'mayo'],
  ['june', 'juni', 'juin', 'junio'],
  ['july', 'juli', 'juillet', 'julio'],
  ['august', 'août', 'agosto'],
  ['september', 'septembre', 'septiembre'],
  ['october', 'oktober', 'octobre', 'octubre'],
  ['november', 'novembre', 'noviembre'],
  ['december', 'dezember', 'décembre', 'diciembre'],
] as const;

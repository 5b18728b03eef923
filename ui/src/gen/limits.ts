// Generated from the limits of boards; do not edit: `cargo test -p app generated`.

/** Maximum characters of a name, title, or label. */
export const NAME_CHARS_MAX = 255;

/** Maximum characters of a text cell. */
export const TEXT_CHARS_MAX = 20000;

/** Maximum bytes of a link. */
export const LINK_BYTES_MAX = 2048;

/** Maximum entries of a tags, people, or link cell. */
export const ENTRIES_MAX = 100;

/** Maximum cells in one change. */
export const CELLS_PER_CHANGE_MAX = 20000;

/** Maximum characters of a comment. */
export const COMMENT_CHARS_MAX = 10000;

/** Maximum bytes of a file. */
export const FILE_BYTES_MAX = 26214400;

/** Maximum files of a cell. */
export const FILES_PER_CELL_MAX = 20;

/** Maximum rating of a column. */
export const RATING_MAX = 10;

/** Maximum decimals of a number column. */
export const DECIMALS_MAX = 10;

/** Maximum records of a list page. */
export const PAGE_MAX = 1000;

/** Default colors of labels and groups, in order. */
export const PALETTE = ['#4a7fd4', '#e8a33d', '#8e5bd0', '#d9455f', '#2aa5b5', '#c76b98', '#6b7f8f', '#9aad3b', '#b5763a', '#5560c9', '#7a7a7a'] as const;

/** Names of labels and checkboxes that mean done. */
export const FINISHED_WORDS = ['done', 'complete', 'completed', 'closed', 'finished', 'resolved', 'shipped', 'erledigt', 'fertig', 'abgeschlossen'] as const;

/** Names of labels that mean canceled. */
export const CANCELED_WORDS = ['canceled', 'cancelled', 'duplicate', 'duplicated', 'won\'t do', 'wont do', 'won\'t fix', 'wontfix', 'wont fix', 'will not do', 'not doing', 'not planned', 'rejected', 'declined', 'dropped', 'discarded', 'abandoned', 'obsolete', 'abgebrochen', 'abgelehnt', 'verworfen', 'storniert', 'duplikat', 'annulé', 'annulée', 'abandonné', 'abandonnée', 'rejeté', 'rejetée', 'doublon', 'cancelado', 'cancelada', 'anulado', 'anulada', 'rechazado', 'descartado', 'duplicado', 'rejeitado', 'annullato', 'annullata', 'rifiutato', 'duplicato', 'geannuleerd', 'afgewezen', 'vervallen', 'duplicaat'] as const;

/** Names of labels that mean not started. */
export const NOT_STARTED_WORDS = ['to do', 'todo', 'open', 'new', 'backlog', 'triage', 'planned', 'ready', 'not started', 'unstarted', 'offen', 'neu', 'geplant', 'nicht begonnen'] as const;

/** Month names from January on. Their first three or four letters are accepted too. */
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

/** The table of a board. */
export { GridView as Grid } from './grid/Grid';

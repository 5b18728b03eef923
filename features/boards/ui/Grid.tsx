/** The table of a board, which the page loads together with the board. */
import { FollowComputing } from './formula/Computing';
import { GridView, type GridViewProps } from './grid/Grid';

export const Grid = (props: GridViewProps) => (
  <FollowComputing table={props.table}>
    <GridView {...props} />
  </FollowComputing>
);

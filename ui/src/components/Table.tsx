/** React Aria's table in our style: arrow keys between cells, sorting, and selection as documented there. */
import {
  Cell as AriaCell,
  Column as AriaColumn,
  Row as AriaRow,
  Table as AriaTable,
  TableBody,
  TableHeader,
  type CellProps,
  type ColumnProps,
  type RowProps,
  type TableProps,
} from 'react-aria-components';
import { Icon } from './Icon';

/** The table; give it an `aria-label`. */
export const Table = (props: Omit<TableProps, 'className'>) => <AriaTable {...props} className="table" />;
/** A column's head; `allowsSorting` makes it a button. */
export const Column = ({
  children,
  isNumeric,
  ...props
}: Omit<ColumnProps, 'className' | 'children'> & { children: string; isNumeric?: boolean }) => (
  <AriaColumn {...props} className="table-column" data-numeric={isNumeric || undefined}>
    {({ allowsSorting, sortDirection }) => (
      <span className="table-column-text">
        {children}
        {allowsSorting && sortDirection && (
          <Icon name="chevronDown" size={12} className={sortDirection === 'ascending' ? 'flip' : ''} />
        )}
      </span>
    )}
  </AriaColumn>
);
/** A row. */
export const Row = <T extends object>(props: Omit<RowProps<T>, 'className'>) => (
  <AriaRow {...props} className="table-row" />
);
/** A cell. */
export const Cell = ({ isNumeric, ...props }: Omit<CellProps, 'className'> & { isNumeric?: boolean }) => (
  <AriaCell {...props} className="table-cell" data-numeric={isNumeric || undefined} />
);
export { TableBody, TableHeader };

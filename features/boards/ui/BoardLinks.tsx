import { Link, useLocation } from 'wouter';
import { useBoards } from './data';

/** Boards shown below the navigation entry; the page lists them all. */
const SHOWN_MAX = 12;

/** The boards of the workspace, below "Project boards". */
export function BoardLinks() {
  const { data: boards } = useBoards();
  const [location] = useLocation();
  if (!boards?.length) return null;
  return (
    <ul className="nav-list" aria-label="Boards">
      {boards.slice(0, SHOWN_MAX).map((board) => (
        <li key={board.id}>
          <Link href={`/boards/${board.id}`} className="nav-link" aria-current={location === `/boards/${board.id}` ? 'page' : undefined}>
            <span className="nav-label">{board.name}</span>
          </Link>
        </li>
      ))}
      {boards.length > SHOWN_MAX && (
        <li>
          <Link href="/boards" className="nav-link">
            <span className="nav-label">{boards.length - SHOWN_MAX} more</span>
          </Link>
        </li>
      )}
    </ul>
  );
}

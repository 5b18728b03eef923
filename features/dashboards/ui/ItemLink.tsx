import { Link } from 'wouter';
import { AGENT_SESSIONS } from './boards';

/** An item's name, which leads to it; agent sessions stand on no board that could be opened. */
export function ItemLink({ boardId, itemId, name }: { boardId: string; itemId: string; name: string }) {
  const shown = name || 'Unnamed item';
  return boardId === AGENT_SESSIONS ? (
    <span>{shown}</span>
  ) : (
    <Link href={`/boards/${boardId}?item=${encodeURIComponent(itemId)}`}>{shown}</Link>
  );
}

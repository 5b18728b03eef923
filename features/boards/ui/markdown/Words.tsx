/** Text with mentions shown by name. Always rendered as text, never as HTML. */
import type { Member } from '@shell/members';
import { partsOf } from '../mentions';

export const Words = ({ text, members }: { text: string; members: readonly Member[] }) =>
  partsOf(text, members).map((part, at) =>
    typeof part === 'string' ? (
      part
    ) : (
      <span key={at} className="mention">
        @<bdi>{part.name}</bdi>
      </span>
    ),
  );

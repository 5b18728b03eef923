/** Text as it was written, but for mentions, which are shown by name. It is text to the browser, whatever stands in it. */
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

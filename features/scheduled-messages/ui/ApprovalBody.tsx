/** An agent's message that needs your approval, in the inbox. */
import type { RowBodyProps } from '@shell/feature';
import { Approval } from './Approval';
import { useMessage } from './data';
import MessageBody from './MessageBody';

export default function ApprovalBody({ body, link, isOpen }: RowBodyProps) {
  const id = link?.split('?message=')[1] ?? '';
  const { data: message } = useMessage(isOpen ? id : '');
  return (
    <>
      <MessageBody body={body} />
      {message?.approval === 'waiting' && <Approval message={message} />}
    </>
  );
}

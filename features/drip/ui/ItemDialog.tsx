/** Adds an item to a queue, or changes one. A file can be its content. */
import { lazy, Suspense, useId, useState } from 'react';
import { Button, Dialog, ErrorState, Loading, Select, TextField } from '@shell/components';
import { useDripActions, useItem, type DripEntry, type DripItem, type DripKind } from './data';
import './drip.css';

const Content = lazy(() => import('./Content'));

export type EditedItem = DripEntry | 'new';

const KINDS: { value: DripKind; label: string }[] = [
  { value: 'markdown', label: 'Markdown' },
  { value: 'text', label: 'Text' },
  { value: 'html', label: 'HTML' },
];

/** What a file's name says that it is. */
export const kindOf = (name: string): DripKind =>
  /\.html?$/i.test(name) ? 'html' : /\.(md|markdown)$/i.test(name) ? 'markdown' : 'text';

export function ItemDialog(props: { queueId: string; edited: EditedItem; onClose: () => void }) {
  const { queueId, edited, onClose } = props;
  const { data: item, error } = useItem(queueId, edited === 'new' ? '' : edited.id);
  if (edited === 'new') return <ItemForm queueId={queueId} item={null} onClose={onClose} />;
  if (item) return <ItemForm queueId={queueId} item={item} onClose={onClose} />;
  return (
    <Dialog isOpen onClose={onClose} title={`Edit ${edited.title}`}>
      {error ? <ErrorState title="Couldn't load item" error={error} /> : <Loading label="Loading item" />}
    </Dialog>
  );
}

function ItemForm({ queueId, item, onClose }: { queueId: string; item: DripItem | null; onClose: () => void }) {
  const [title, setTitle] = useState(item?.title ?? '');
  const [kind, setKind] = useState<DripKind>(item?.kind ?? 'markdown');
  const [content, setContent] = useState(item?.content ?? '');
  const [isTried, setTried] = useState(false);
  const [isPending, setPending] = useState(false);
  const { addItem, updateItem } = useDripActions();
  const [form, file] = [useId(), useId()];
  const isMissing = content.trim() === '';
  const save = async () => {
    setTried(true);
    if (isMissing || isPending) return;
    setPending(true);
    const body = { content, kind, ...(title.trim() !== '' && { title: title.trim() }) };
    const isSaved = item ? await updateItem(queueId, item.id, body) : await addItem(queueId, body);
    setPending(false);
    if (isSaved) onClose();
  };
  const take = async (chosen: File | undefined) => {
    if (!chosen) return;
    setContent(await chosen.text());
    setKind(kindOf(chosen.name));
    setTitle((before) => before || chosen.name);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={item ? `Edit ${item.title}` : 'New item'}
      size="large"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isPending={isPending}>
            {item ? 'Save' : 'Add'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="drip-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label="Title"
          value={title}
          onChange={setTitle}
          maxLength={200}
          placeholder="If empty, the start of the content"
        />
        <Select label="Kind" options={KINDS} value={kind} onChange={setKind} />
        <div className="drip-file">
          <label htmlFor={file}>From a file</label>
          <input
            id={file}
            type="file"
            accept=".txt,.md,.markdown,.html,.htm"
            onChange={(event) => void take(event.target.files?.[0])}
          />
        </div>
        <TextField
          label="Content"
          value={content}
          onChange={setContent}
          rows={8}
          counter={100_000}
          mono={kind === 'html'}
          error={isTried && isMissing ? 'Enter content.' : null}
        />
        {!isMissing && (
          <section className="drip-preview" aria-label="Preview">
            <Suspense fallback={<Loading />}>
              <Content title={title || 'Preview'} kind={kind} content={content} />
            </Suspense>
          </section>
        )}
      </form>
    </Dialog>
  );
}

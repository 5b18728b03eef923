/** Images of a message: a button that attaches them, and the list with a button to remove each. */
import { useRef } from 'react';
import { Button, IconButton } from '@shell/components';
import { PICTURE_TYPES, type PromptPicture } from '../pictures';
import { Picture } from '../shown/Picture';

export function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        className="start-file"
        type="file"
        multiple
        accept={PICTURE_TYPES.join(',')}
        aria-label="Images to attach"
        tabIndex={-1}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // The same file can be chosen again.
          event.target.value = '';
        }}
      />
      <Button icon="upload" onPress={() => input.current?.click()}>
        Attach image
      </Button>
    </>
  );
}

export function AttachedPictures({
  pictures,
  onChange,
}: {
  pictures: readonly PromptPicture[];
  onChange: (pictures: readonly PromptPicture[]) => void;
}) {
  if (pictures.length === 0) return null;
  return (
    <ul className="start-pictures" aria-label="Attached images">
      {pictures.map((picture, index) => (
        <li key={index}>
          <Picture mime={picture.media} data={picture.data} label={`Image ${index + 1}`} />
          <IconButton
            icon="close"
            label={`Remove image ${index + 1}`}
            onPress={() => onChange(pictures.filter((_, other) => other !== index))}
          />
        </li>
      ))}
    </ul>
  );
}

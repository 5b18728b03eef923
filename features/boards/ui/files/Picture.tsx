/** A small preview of a picture, fetched with the page's token; nothing where it cannot be read as one. */
import { useEffect, useState } from 'react';
import type { Attachment } from '../data';
import { attached, type FileCell } from './data';

export function Picture({ cell: { board, item, column }, file }: { cell: FileCell; file: Attachment }) {
  const [address, setAddress] = useState<string | null>(null);
  const { id, type } = file;
  useEffect(() => {
    let isGone = false;
    let made: string | null = null;
    void attached.picture({ board, item, column }, { id, type, name: '', size: 0 }).then(
      (address) => {
        made = address;
        if (isGone) URL.revokeObjectURL(address);
        else setAddress(address);
      },
      // Without a preview the file is still listed.
      () => undefined,
    );
    return () => {
      isGone = true;
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [board, item, column, id, type]);
  // What it shows is named beside it.
  return address === null ? null : (
    <img className="file-picture" src={address} alt="" onError={() => setAddress(null)} />
  );
}

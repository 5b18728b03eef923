/** An image of a message. It's stored with the message and loaded with the page's token. */
import { useEffect, useState } from 'react';
import { authFetch } from '@shell/api';

export function PromptPicture({ session, prompt, image }: { session: string; prompt: number; image: number }) {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    let made: string | null = null;
    const read = async () => {
      const answer = await authFetch(`/sessions/${encodeURIComponent(session)}/messages/${prompt}/images/${image}`, {
        signal: gone.signal,
      });
      if (!answer.ok) return;
      made = URL.createObjectURL(await answer.blob());
      if (gone.signal.aborted) URL.revokeObjectURL(made);
      else setAddress(made);
    };
    // If it can't be loaded, a text is shown in its place.
    read().catch(() => undefined);
    return () => {
      gone.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [session, prompt, image]);
  return address === null ? (
    <p className="picture-not">Image unavailable</p>
  ) : (
    <img className="picture" src={address} alt={`Attachment ${image + 1}`} onError={() => setAddress(null)} />
  );
}

/** A picture of a prompt, which is kept with the prompt and fetched with the page's token. */
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
    // Without it its place says that there is one.
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

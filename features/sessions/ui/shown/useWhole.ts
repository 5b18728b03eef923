/** Whether a shortened part of the transcript is shown whole: when you ask for it, or when the search leads to it. */
import { createContext, useContext, useEffect, useState } from 'react';

/** Whether the search led to what is inside. */
export const Revealed = createContext(false);

export function useWhole() {
  const isRevealed = useContext(Revealed);
  const [isWhole, setWhole] = useState(isRevealed);
  useEffect(() => {
    if (isRevealed) setWhole(true);
  }, [isRevealed]);
  return [isWhole, setWhole] as const;
}

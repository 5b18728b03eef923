import { useEffect, useState } from 'react';
import { localDay } from './days';

/** The day it is, also past midnight. */
export function useToday(): number {
  const [today, setToday] = useState(() => localDay(new Date()));
  useEffect(() => {
    const now = new Date();
    const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
    const timer = setTimeout(() => setToday(localDay(new Date())), midnight.getTime() - now.getTime() + 500);
    return () => clearTimeout(timer);
  }, [today]);
  return today;
}

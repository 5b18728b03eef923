/** Words in all transcripts; each hit leads to its place in the session. */
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { Button, EmptyState, ErrorState, Loading, Page, SearchField, Select, Switch, Time } from '@shell/components';
import { useSearched, type Hit } from './data';
import './search.css';

/** Typing rests after this. */
const REST_MS = 200;
const QUERY_CHARS_MAX = 500;

const WHO: Readonly<Record<string, string>> = { person: 'You', agent: 'Agent', thinking: 'Thinking', tool: 'Tool' };

/** What can be searched for: signs alone are no words. */
const wordsOf = (text: string) => (/[\p{L}\p{N}]/u.test(text) ? text.trim() : '');

export default function SearchPage() {
  const [, navigate] = useLocation();
  const [asked] = useState(new URLSearchParams(useSearch()));
  const [text, setText] = useState(asked.get('q') ?? '');
  const [words, setWords] = useState(wordsOf(text));
  const [newest, setNewest] = useState(asked.get('by') === 'newest');
  const [archived, setArchived] = useState(asked.has('archived'));
  const list = useRef<HTMLUListElement>(null);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useSearched({ words, newest, archived });
  useEffect(() => {
    const timer = setTimeout(() => setWords(wordsOf(text)), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  // The address is that of what is shown, so that it is there again on the way back from a hit.
  useEffect(() => {
    const now = new URLSearchParams({ ...(words ? { q: words } : {}), ...(newest ? { by: 'newest' } : {}), ...(archived ? { archived: '' } : {}) });
    navigate(`/sessions/search${now.size ? `?${now.toString()}` : ''}`, { replace: true });
  }, [words, newest, archived, navigate]);
  const hits = data?.pages.flatMap((page) => page.items) ?? [];
  const pending = data?.pages.at(-1)?.pending ?? 0;
  const step = (event: KeyboardEvent, by: number) => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const next = links[links.indexOf(document.activeElement as HTMLAnchorElement) + by];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <Page title="Search transcripts">
      <div className="hits">
        <div className="hits-head" role="search">
          <SearchField
            aria-label="Words in transcripts"
            placeholder="Words in transcripts"
            value={text}
            onChange={setText}
            onSubmit={() => setWords(wordsOf(text))}
            maxLength={QUERY_CHARS_MAX}
            autoFocus
            onInputKeyDown={(event) => {
              if (event.key === 'ArrowDown') step(event, 1);
            }}
          />
          <Select
            aria-label="Order"
            value={newest ? 'newest' : 'best'}
            onChange={(order) => setNewest(order === 'newest')}
            options={[
              { value: 'best', label: 'Best first' },
              { value: 'newest', label: 'Newest first' },
            ]}
          />
          <Switch isSelected={archived} onChange={setArchived}>
            Archived sessions too
          </Switch>
        </div>
        <p className="hits-pending" role="status">
          {words !== '' && pending > 0 && `${pending === 1 ? '1 transcript is' : `${pending.toLocaleString()} transcripts are`} still being read; more may be found in a moment.`}
        </p>
        {words === '' ? (
          <EmptyState icon="search" title="Search what was said in all sessions">
            Words of prompts, answers, thinking and tools are found. A text has to have all of them; the last one may be the beginning of a word.
          </EmptyState>
        ) : error && !data ? (
          <ErrorState title="The transcripts could not be searched" error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Loading label="Searching" />
        ) : (
          <>
            {hits.length > 0 && (
              <ul
                ref={list}
                className="hits-list"
                aria-label="Found"
                onKeyDown={(event) => {
                  if (event.key === 'ArrowDown') step(event, 1);
                  if (event.key === 'ArrowUp') step(event, -1);
                }}
              >
                {hits.map((hit) => (
                  <li key={`${hit.sessionId} ${hit.entry} ${hit.who} ${hit.snippet}`}>
                    <HitLine hit={hit} />
                  </li>
                ))}
              </ul>
            )}
            {hits.length === 0 && !hasNextPage && (
              <EmptyState icon="search" title="Nothing was found">
                {`No transcript has a text with “${words}”${archived ? '' : '. Archived sessions were left out'}.`}
              </EmptyState>
            )}
            {hasNextPage && (
              <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
                Show more
              </Button>
            )}
          </>
        )}
      </div>
    </Page>
  );
}

function HitLine({ hit }: { hit: Hit }) {
  return (
    <Link href={`/sessions/${hit.sessionId}?at=${hit.entry}`} className="hit">
      <span className="hit-head">
        <span className="hit-title">{hit.title}</span>
        <span className="hit-fact">{WHO[hit.who] ?? hit.who}</span>
        <span className="hit-fact">
          <Time at={hit.at} />
        </span>
      </span>
      <span className="hit-text" dir="auto">
        {marked(hit.snippet, hit.marks)}
      </span>
    </Link>
  );
}

/** The text with what was searched for marked; marks count in UTF-16 units, as texts do here. */
function marked(text: string, marks: Hit['marks']) {
  let from = 0;
  const parts = marks.map(([start, end]) => {
    const before = text.slice(from, start);
    from = end;
    return (
      <span key={start}>
        {before}
        <mark>{text.slice(start, end)}</mark>
      </span>
    );
  });
  return [...parts, text.slice(from)];
}

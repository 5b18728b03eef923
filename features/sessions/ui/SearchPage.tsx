/** Search of all transcripts. Each result links to its position in the session. */
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { Button, EmptyState, ErrorState, Loading, Page, SearchField, Select, Switch, Time } from '@shell/components';
import { useSearched, type Hit } from './data';
import './search.css';

/** Delay between typing and searching. */
const REST_MS = 200;
const QUERY_CHARS_MAX = 500;

const WHO: Readonly<Record<string, string>> = { person: 'You', agent: 'Agent', thinking: 'Thinking', tool: 'Tool' };

/** The search text; empty if it has no letters or digits. */
const wordsOf = (text: string) => (/[\p{L}\p{N}]/u.test(text) ? text.trim() : '');

export default function SearchPage() {
  const [, navigate] = useLocation();
  const [asked] = useState(new URLSearchParams(useSearch()));
  const [text, setText] = useState(asked.get('q') ?? '');
  const [words, setWords] = useState(wordsOf(text));
  const [newest, setNewest] = useState(asked.get('by') === 'newest');
  const [archived, setArchived] = useState(asked.has('archived'));
  const list = useRef<HTMLUListElement>(null);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useSearched({
    words,
    newest,
    archived,
  });
  useEffect(() => {
    const timer = setTimeout(() => setWords(wordsOf(text)), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  // The address holds the search, so it's restored when you go back from a result.
  useEffect(() => {
    const now = new URLSearchParams({
      ...(words ? { q: words } : {}),
      ...(newest ? { by: 'newest' } : {}),
      ...(archived ? { archived: '' } : {}),
    });
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
            aria-label="Search transcripts"
            placeholder="Search transcripts"
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
            Include archived
          </Switch>
        </div>
        <p className="hits-pending" role="status">
          {words !== '' &&
            pending > 0 &&
            `${pending === 1 ? '1 transcript is' : `${pending.toLocaleString()} transcripts are`} still being indexed. More results may appear.`}
        </p>
        {words === '' ? (
          <EmptyState icon="search" title="Search all transcripts">
            Enter words that must all occur; the last one can be incomplete.
          </EmptyState>
        ) : error && !data ? (
          <ErrorState title="Couldn't search transcripts" error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Loading label="Searching" />
        ) : (
          <>
            {hits.length > 0 && (
              // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Keys of the elements inside bubble up here.
              <ul
                ref={list}
                className="hits-list"
                aria-label="Results"
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
              <EmptyState icon="search" title="No results">
                {`No transcript matches “${words}”${archived ? '' : '. Archived sessions are excluded'}.`}
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

/** The text with its matches highlighted. Marks count UTF-16 units, as JavaScript strings do. */
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

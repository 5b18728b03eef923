/** The queue of what needs you: one line each, answered in place where Allow or Deny is enough. */
import { useRef, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { IconButton, ScreenReaderOnly } from '@shell/components';
import { elapsedTime, formatInstant, useNow } from '@shell/dates';
import { useSessionActions } from '../data';
import { StateMark } from '../State';
import { openLabel, showNeed, useNeeds, type Need } from './data';
import './needs.css';

/** How often ages are updated. */
const AGE_MS = 10_000;

/** Whether one click may decide it. A plan is read first. */
const isQuick = ({ kind, isYesOrNo, sessionId, askId }: Need) =>
  isYesOrNo && kind === 'approval' && sessionId !== null && askId !== null;

export function NeedsList({ isNarrow = false }: { isNarrow?: boolean }) {
  const { data: needs } = useNeeds();
  const [, navigate] = useLocation();
  const { answer } = useSessionActions();
  const [sent, setSent] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLUListElement>(null);
  const now = useNow(AGE_MS);
  if (!needs?.length) return null;
  const lines = () => [...(list.current?.querySelectorAll<HTMLElement>('.need-open') ?? [])];
  const decide = async (need: Need, allow: boolean) => {
    if (!need.sessionId || !need.askId || sent.has(need.id)) return;
    setSent((before) => new Set([...before, need.id]));
    // The line disappears once answered: the next one gets the focus, so that keys go on.
    const all = lines();
    const at = all.findIndex((line) => line.dataset.need === need.id);
    if (list.current?.contains(document.activeElement)) (all[at + 1] ?? all[at - 1])?.focus();
    const taken = await answer(need.sessionId, need.askId, { allow });
    if (!taken) setSent((before) => new Set([...before].filter((id) => id !== need.id)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const all = lines();
    const at = all.findIndex((line) => line.parentElement?.contains(document.activeElement));
    const need = needs.find(({ id }) => id === all[at]?.dataset.need);
    if (!need) return;
    const key = event.key.toLowerCase();
    if (key === 'arrowdown' || key === 'j') all[at + 1]?.focus();
    else if (key === 'arrowup' || key === 'k') all[at - 1]?.focus();
    else if ((key === 'a' || key === 'd') && isQuick(need)) void decide(need, key === 'a');
    else if (key === 'o' && need.link) navigate(need.link);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // A landmark on the page only: the sidebar is one already.
    <div
      className="needs"
      data-narrow={isNarrow || undefined}
      role={isNarrow ? 'group' : 'region'}
      aria-label="Needs you"
    >
      <h2 className="needs-head">
        Needs you <span className="needs-count">{needs.length.toLocaleString()}</span>
      </h2>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Keys of the buttons inside bubble up here. */}
      <ul ref={list} className="needs-list" onKeyDown={onKeyDown}>
        {needs.map((need) => (
          <li key={need.id} className="need">
            <button
              type="button"
              className="need-open"
              data-need={need.id}
              title={need.reason}
              aria-keyshortcuts={isQuick(need) ? 'A D O' : 'O'}
              onClick={() => showNeed(need.id)}
            >
              <span className="need-title">
                {need.state && <StateMark state={need.state} />}
                <span className="need-session">{need.title}</span>
                <time className="need-age" dateTime={need.since} title={formatInstant(need.since, 'full')}>
                  {elapsedTime(need.since, now, undefined, 'narrow')}
                </time>
              </span>
              <span className="need-reason" data-quick={isQuick(need) || undefined}>
                {need.reason}
              </span>
              <ScreenReaderOnly>{`, ${openLabel(need)}`}</ScreenReaderOnly>
            </button>
            {isQuick(need) && (
              <span className="need-actions">
                <IconButton
                  icon="check"
                  keys="A"
                  label={`Allow: ${need.reason}`}
                  isDisabled={sent.has(need.id)}
                  onPress={() => void decide(need, true)}
                />
                <IconButton
                  icon="close"
                  keys="D"
                  label={`Deny: ${need.reason}`}
                  isDisabled={sent.has(need.id)}
                  onPress={() => void decide(need, false)}
                />
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

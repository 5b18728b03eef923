/** The dialog that continues a session in a new one, from one of its messages. */
import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import { Button, Dialog, Switch, TextField } from '@shell/components';
import { useSessionActions, type Detail, type Hub } from '../data';
import '../start/start.css';

interface Props {
  session: Detail;
  hub: Hub | undefined;
  /** The last transcript entry that the new session takes over. */
  entry: number;
  onClose: () => void;
}

export function ForkDialog({ session, hub, entry, onClose }: Props) {
  const { fork } = useSessionActions();
  const [, navigate] = useLocation();
  const help = useId();
  const [prompt, setPrompt] = useState('');
  const [worktree, setWorktree] = useState<boolean | null>(null);
  const [isMissing, setMissing] = useState(false);
  const [isStarting, setStarting] = useState(false);
  const isInWorktree = hub !== undefined && hub.folder !== session.cwd && hub.purpose === '';
  const canSeparate = hub?.isRepository === true && hub.hasCommits;
  const start = async () => {
    if (isStarting) return;
    setMissing(prompt.trim() === '');
    if (prompt.trim() === '') return;
    setStarting(true);
    // Left out unless chosen: the default is what the session itself has.
    const made = await fork(session.id, { entry, prompt, ...(worktree === null ? {} : { worktree }) });
    setStarting(false);
    if (!made) return;
    onClose();
    navigate(`/sessions/${made.id}`);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Fork session"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isPending={isStarting} onPress={() => void start()}>
            Start session
          </Button>
        </>
      }
    >
      <p className="field-help">The new session gets the conversation up to this message.</p>
      <TextField
        label="Message"
        rows={4}
        value={prompt}
        onChange={(next) => (setMissing(false), setPrompt(next))}
        error={isMissing ? 'Describe the task.' : null}
        autoFocus
        onInputKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void start();
        }}
      />
      {canSeparate && (
        <div className="start-worktree">
          <Switch isSelected={worktree ?? isInWorktree} onChange={setWorktree} aria-describedby={help}>
            Work in a git worktree
          </Switch>
          <p id={help} className="field-help">
            {(worktree ?? isInWorktree)
              ? "Starts at the last commit. Uncommitted changes aren't copied."
              : 'Works in the same folder as this session.'}
          </p>
        </div>
      )}
    </Dialog>
  );
}

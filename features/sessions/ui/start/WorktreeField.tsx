/** Whether a session works in a worktree of its own, and the name of its branch. */
import { useId } from 'react';
import { Switch, TextField } from '@shell/components';

/** What a folder is to git. */
export interface Place {
  isRepository: boolean;
  hasCommits: boolean;
}

interface Props {
  place: Place | undefined;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  branch: string;
  onBranch: (branch: string) => void;
}

export function WorktreeField({ place, isOn, onChange, branch, onBranch }: Props) {
  const help = useId();
  if (!place?.isRepository) return null;
  return (
    <div className="start-worktree">
      <Switch
        isSelected={isOn && place.hasCommits}
        onChange={onChange}
        isDisabled={!place.hasCommits}
        aria-describedby={help}
      >
        Work in a git worktree
      </Switch>
      <p id={help} className="field-help">
        {place.hasCommits
          ? "Gives the session its own checkout and branch. Your files aren't touched."
          : 'The repository has no commits. Make a commit first to use a worktree.'}
      </p>
      {isOn && place.hasCommits && (
        <TextField
          label="Branch"
          mono
          value={branch}
          onChange={onBranch}
          placeholder="Named after the session"
          autoComplete="off"
        />
      )}
    </div>
  );
}

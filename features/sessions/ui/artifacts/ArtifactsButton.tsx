/** Switches between the transcript and the artifacts, with their number. */
import { Button } from '@shell/components';
import type { Detail } from '../data';
import { useArtifacts } from './data';

interface Props {
  session: Detail;
  isShown: boolean;
  onPress: () => void;
}

export function ArtifactsButton({ session, isShown, onPress }: Props) {
  const { data } = useArtifacts(session);
  const count = data?.length ?? 0;
  return (
    <Button icon="folder" aria-pressed={isShown} aria-keyshortcuts="F" onPress={onPress}>
      {isShown ? 'Transcript' : count > 0 ? `Artifacts (${count.toLocaleString()})` : 'Artifacts'}
    </Button>
  );
}

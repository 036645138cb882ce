/** Two edits of the same export side by side: nothing is saved until a person has chosen. */
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { BothEdits, sideBySide } from '../../look/edits/both-edits.tsx';
import type { DestinationType } from './destination-types.ts';
import { differencesBetween } from './differences.ts';
import type { Fields } from './draft.ts';

type ConflictProps = {
  /** The export when the edit began. */
  base: Fields;
  /** The export as saved now. */
  theirs: Fields;
  /** The export in the form. */
  ours: Fields;
  type: DestinationType | undefined;
  /** Saves the changes of the form over the export as it is now. */
  onSave: () => void;
  onKeepTheirs: () => void;
  onClose: () => void;
};

export function Conflict({ base, theirs, ours, type, onSave, onKeepTheirs, onClose }: ConflictProps) {
  const places = sideBySide(differencesBetween(base, theirs, type), differencesBetween(base, ours, type));
  const isDisputed = places.some(
    (one) => one.theirs !== undefined && one.ours !== undefined && one.theirs !== one.ours,
  );
  return (
    <Dialog title="Two edits of the same" isOpen onClose={onClose} width="wide">
      <p>Somebody saved this export while you were editing it. What you typed is kept.</p>
      <BothEdits places={places} heads={['Field', 'They saved', 'You typed']} />
      <Actions>
        <Button kind="primary" onPress={onSave}>
          {isDisputed ? 'Save mine over it' : 'Save both'}
        </Button>
        <Button onPress={onKeepTheirs}>Keep theirs, discard mine</Button>
        <Button kind="quiet" onPress={onClose}>
          Go on editing
        </Button>
      </Actions>
    </Dialog>
  );
}

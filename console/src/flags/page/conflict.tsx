/** Two edits of the same flag side by side, and the ways to resolve them. */
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { BothEdits, sideBySide } from '../../look/edits/both-edits.tsx';
import type { Flag, FlagPatch } from '../flags-data.ts';
import { changesBetween } from '../words/changes.ts';
import { ConflictingChanges, mergeChanges } from '../words/equal.ts';
import { differences, fieldsOf, type Fields } from '../words/fields.ts';
import type { Edit } from './use-edit.ts';

type ConflictProps = {
  edit: Edit;
  /** The flag as it is now. */
  theirs: Flag;
  isPending: boolean;
  onSave: (patch: FlagPatch) => void;
  onKeepTheirs: () => void;
  onClose: () => void;
};

export function Conflict({ edit, theirs, isPending, onSave, onKeepTheirs, onClose }: ConflictProps) {
  const author = theirs.last_modified_by;
  const name = author ? author.first_name || author.email : 'Somebody else';
  const base = fieldsOf(edit.base);
  const now = fieldsOf(theirs);
  const mergedFields = mergeFields(base, now, edit.fields);
  const patchTo = (fields: Fields): FlagPatch => ({
    ...differences(now, fields),
    version: theirs.version,
    original_flag: { ...now },
  });
  return (
    <Dialog title="Two edits of the same" isOpen onClose={onClose} width="wide">
      <p>
        {name} saved v{theirs.version} while you were editing v{edit.base.version}. Your edit is kept, but it is not
        saved yet.{' '}
        {mergedFields
          ? 'You changed different places, so you can save both edits.'
          : 'You changed the same place: “Save mine over it” replaces their value there with yours.'}
      </p>
      <BothEdits places={sideBySide(changesBetween(base, now), edit.changes)} heads={['What', name, 'You']} />
      <Actions>
        {mergedFields && (
          <Button kind="primary" isPending={isPending} onPress={() => onSave(patchTo(mergedFields))}>
            Save both
          </Button>
        )}
        <Button isPending={isPending} onPress={() => onSave(patchTo({ ...now, ...differences(base, edit.fields) }))}>
          Save mine over it
        </Button>
        <Button onPress={onKeepTheirs}>Keep theirs, discard mine</Button>
        <Button kind="quiet" onPress={onClose}>
          Go on editing
        </Button>
      </Actions>
    </Dialog>
  );
}

/** @returns both edits together; undefined if they changed the same value differently */
function mergeFields(base: Fields, theirs: Fields, ours: Fields): Fields | undefined {
  try {
    return mergeChanges(base, theirs, ours);
  } catch (error) {
    if (error instanceof ConflictingChanges) return undefined;
    throw error;
  }
}

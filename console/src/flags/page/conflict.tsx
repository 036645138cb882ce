/** Two edits of the same flag side by side, and the ways to resolve them. */
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import type { Flag, FlagPatch } from '../flags-data.ts';
import { changesBetween, type ChangeLine } from '../words/changes.ts';
import { Disputed, merged } from '../words/equal.ts';
import { differences, fieldsOf, type Fields } from '../words/fields.ts';
import styles from './flag-page.module.css';
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
  const rows = sideBySide(changesBetween(base, now), edit.changes);
  const both = together(base, now, edit.fields);
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
        {both
          ? 'You changed different places, so you can save both edits.'
          : 'You changed the same place: “Save mine over it” replaces their value there with yours.'}
      </p>
      <div className={styles.scroll}>
        <table className={styles.conflict}>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">{name}</th>
              <th scope="col">You</th>
              <th scope="col">Before</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ what, before, their, yours }) => (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td>{their ?? <span className="quiet">unchanged</span>}</td>
                <td>{yours ?? <span className="quiet">unchanged</span>}</td>
                <td className="quiet">{before}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Actions>
        {both && (
          <Button kind="primary" isPending={isPending} onPress={() => onSave(patchTo(both))}>
            Save both
          </Button>
        )}
        <Button isPending={isPending} onPress={() => onSave(patchTo({ ...now, ...differences(base, edit.fields) }))}>
          Save mine over it
        </Button>
        <Button onPress={onKeepTheirs}>Keep theirs, drop mine</Button>
        <Button kind="quiet" onPress={onClose}>
          Go on editing
        </Button>
      </Actions>
    </Dialog>
  );
}

function sideBySide(theirs: readonly ChangeLine[], ours: readonly ChangeLine[]) {
  const places = [...new Set([...theirs, ...ours].map(({ what }) => what))];
  return places.map((what) => {
    const [their, yours] = [theirs, ours].map((lines) => lines.find((line) => line.what === what));
    return { what, before: (their ?? yours)!.from, their: their?.to, yours: yours?.to };
  });
}

/** @returns undefined where they changed the same place */
function together(base: Fields, theirs: Fields, ours: Fields): Fields | undefined {
  try {
    return merged(base, theirs, ours);
  } catch (error) {
    if (error instanceof Disputed) return undefined;
    throw error;
  }
}

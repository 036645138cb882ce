/** Two edits of the same object in a table: a row for each field that either edit changes. */
import styles from './both-edits.module.css';

/** A change of one field. `attr` tells fields with the same label apart. */
type Change = { attr?: string; what: string; from: string; to: string };
export type EditedPlace = { key: string; what: string; before: string; theirs?: string; ours?: string };

export function sideBySide(theirs: readonly Change[], ours: readonly Change[]): EditedPlace[] {
  const keyOf = ({ attr, what }: Change) => attr ?? what;
  const changes = [theirs, ours].map((all) => new Map(all.map((change) => [keyOf(change), change])));
  return [...new Set(changes.flatMap((all) => [...all.keys()]))].map((key) => {
    const [their, own] = changes.map((all) => all.get(key));
    const { what, from } = (their ?? own)!;
    return { key, what, before: from, ...(their && { theirs: their.to }), ...(own && { ours: own.to }) };
  });
}

type TableProps = { places: readonly EditedPlace[]; heads: readonly [what: string, theirs: string, ours: string] };

export function BothEdits({ places, heads }: TableProps) {
  return (
    <div className={styles.region} role="region" aria-label="Both edits" tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            {[...heads, 'Before'].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map(({ key, what, before, theirs, ours }) => (
            <tr key={key}>
              <th scope="row">{what}</th>
              <td>{theirs ?? <span className="quiet">unchanged</span>}</td>
              <td>{ours ?? <span className="quiet">unchanged</span>}</td>
              <td className="quiet">{before}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

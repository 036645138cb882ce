import { Button } from '../../look/button.tsx';
import { useNow } from '../../look/now.ts';
import { Time } from '../../look/time.tsx';
import { useMe } from '../../session/me.ts';
import styles from '../settings.module.css';
import { Table } from '../table.tsx';
import type { Key } from './keys-data.ts';
import { scopesInWords } from './scopes.ts';

const COLUMNS = [
  { title: 'Key' },
  { title: 'Scopes', isWide: true },
  { title: 'Last used', isWide: true },
  { title: 'Created', isWide: true },
];

type KeyTableProps = { keys: readonly Key[]; onRoll: (key: Key) => void; onDelete: (key: Key) => void };

export function KeyTable({ keys, onRoll, onDelete }: KeyTableProps) {
  return (
    <Table columns={COLUMNS}>
      {keys.map((key) => (
        <tr key={key.id}>
          <td className={styles.name}>
            <strong>{key.label}</strong> <code className="quiet">{key.mask_value}</code>
            <Limits apiKey={key} />
            <div className={styles.below}>{scopesInWords(key.scopes)}</div>
            <div className={`${styles.below} quiet`}>
              {key.last_used_at === null ? (
                'Never used'
              ) : (
                <>
                  Last used <Time iso={key.last_used_at} />
                </>
              )}
              , created <Time iso={key.created_at} />
            </div>
          </td>
          <td className={`${styles.wide} ${styles.name}`}>{scopesInWords(key.scopes)}</td>
          <td className={styles.wide}>
            {key.last_used_at === null ? <span className="quiet">never</span> : <Time iso={key.last_used_at} />}
          </td>
          <td className={styles.wide}>
            <Time iso={key.created_at} />
            {key.created_by && (
              <div className={`quiet ${styles.name}`}>by {key.created_by.first_name || key.created_by.email}</div>
            )}
          </td>
          <td>
            <Button kind="quiet" aria-label={`Roll ${key.label}`} onPress={() => onRoll(key)}>
              Roll
            </Button>
            <Button kind="quiet" aria-label={`Delete ${key.label}`} onPress={() => onDelete(key)}>
              Delete
            </Button>
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Expiry and projects of a key. */
function Limits({ apiKey: { expires_at: expiresAt, scoped_teams: projects } }: { apiKey: Key }) {
  const ownProjects = useMe().projects;
  const now = useNow();
  if (!expiresAt && !projects?.length) return null;
  const names = projects?.map((id) => ownProjects.find((project) => project.id === id)?.name ?? `project ${id}`) ?? [];
  return (
    <div className="quiet">
      {names.length > 0 && <>Only for {names.join(', ')}. </>}
      {expiresAt && (
        <>
          {Date.parse(expiresAt) < now ? 'Expired ' : 'Expires '}
          <Time iso={expiresAt} />.
        </>
      )}
    </div>
  );
}

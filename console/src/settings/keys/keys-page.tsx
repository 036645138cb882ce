import { useMe } from '../../session/me.ts';
import { ADMIN } from '../members/members-data.ts';
import styles from '../settings.module.css';
import { SettingsNav } from '../settings-nav.tsx';
import { KeySection } from './key-section.tsx';
import { personalKeys } from './keys-data.ts';

/** Page of the user's personal keys, which act as the user. */
export function KeysPage() {
  const closed = useMe().organizations.filter(
    (organization) => !organization.members_can_use_personal_api_keys && organization.membership_level < ADMIN,
  );
  return (
    <main>
      <SettingsNav />
      {closed.map(({ id, name }) => (
        <p key={id} className={styles.note}>
          {name} does not let members use personal keys: yours open none of its projects. Ask an admin.
        </p>
      ))}
      <KeySection
        title="Your keys"
        keys={personalKeys}
        isPersonal
        empty="You have no keys. A key lets a program or a curl command act as you, within the scopes that you choose."
      />
    </main>
  );
}

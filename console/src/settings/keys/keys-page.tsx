import { SettingsNav } from '../settings-nav.tsx';
import { KeySection } from './key-section.tsx';
import { personalKeys } from './keys-data.ts';

/** Keys that act as their owner. */
export function KeysPage() {
  return (
    <main>
      <SettingsNav />
      <KeySection
        title="Your keys"
        keys={personalKeys}
        isPersonal
        empty="You have no key. With one, programs and curl do in your name what you allow them here."
      />
    </main>
  );
}

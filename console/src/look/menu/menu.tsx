/** A button that opens a menu of actions that are seldom wanted. */
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button, type ButtonProps } from '../button.tsx';
import styles from './menu.module.css';

type MenuButtonProps = Pick<ButtonProps, 'kind' | 'isPending'> & {
  label: string;
  actions: Readonly<Record<string, () => void>>;
};

export function MenuButton({ label, actions, ...props }: MenuButtonProps) {
  return (
    <MenuTrigger>
      <Button {...props}>
        {label} <span aria-hidden>▾</span>
      </Button>
      <Popover className={styles.popover!} placement="bottom end">
        <Menu className={styles.menu!} aria-label={label}>
          {Object.entries(actions).map(([name, run]) => (
            <MenuItem key={name} className={styles.item!} onAction={run}>
              {name}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

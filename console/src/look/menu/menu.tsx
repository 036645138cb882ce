/** A button that opens a menu of actions that are seldom wanted. */
import { Menu, MenuItem, MenuTrigger, Popover, Text } from 'react-aria-components';
import { Button, type ButtonProps } from '../button.tsx';
import styles from './menu.module.css';

type MenuButtonProps = Pick<ButtonProps, 'kind' | 'isPending'> & {
  label: string;
  actions: Readonly<Record<string, () => void>>;
  /** A line under the names of actions. */
  descriptions?: Readonly<Record<string, string>>;
};

export function MenuButton({ label, actions, descriptions = {}, ...props }: MenuButtonProps) {
  return (
    <MenuTrigger>
      <Button {...props}>
        {label} <span aria-hidden>▾</span>
      </Button>
      <Popover className={styles.popover!} placement="bottom end">
        <Menu className={styles.menu!} aria-label={label}>
          {Object.entries(actions).map(([name, run]) => (
            <MenuItem key={name} className={styles.item!} textValue={name} onAction={run}>
              <Text slot="label">{name}</Text>
              {descriptions[name] !== undefined && (
                <Text slot="description" className={styles.description!}>
                  {descriptions[name]}
                </Text>
              )}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

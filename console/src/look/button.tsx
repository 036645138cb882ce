import type { ReactNode, Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Link, type LinkProps } from '@tanstack/react-router';
import styles from './button.module.css';

type Kind = 'primary' | 'plain' | 'quiet' | 'danger';

export type ButtonProps = Omit<AriaButtonProps, 'children'> & {
  kind?: Kind;
  children: ReactNode;
  ref?: Ref<HTMLButtonElement>;
};

/** A button; `isPending` shows that its work is under way, keeps its width and is announced to screen readers. */
export function Button({ kind = 'plain', children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={`${styles.button} ${styles[kind] ?? ''}`}>
      {children}
      {props.isPending && <span className="visually-hidden">in progress</span>}
    </AriaButton>
  );
}

/** Also accepts a computed address. */
type ButtonLinkProps = (LinkProps | (Omit<LinkProps, 'to' | 'params' | 'search'> & { to: string })) & { kind?: Kind };

/** A link that looks like a button: for navigation to another page. */
export function ButtonLink({ kind = 'plain', ...props }: ButtonLinkProps) {
  return <Link {...(props as LinkProps)} className={`${styles.button} ${styles[kind] ?? ''}`} />;
}

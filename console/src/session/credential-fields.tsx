import type { ComponentProps } from 'react';
import { TextField } from '../look/field.tsx';

type CredentialFieldsProps = {
  email: string;
  /** Absent: the address is known, and shown for password managers. */
  onEmail?: (email: string) => void;
  password: string;
  onPassword: (password: string) => void;
};

type FieldProps = Pick<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'isReadOnly' | 'autoFocus'>;

export function EmailField(props: FieldProps) {
  return <TextField label="Email" type="email" name="email" autoComplete="username" isRequired {...props} />;
}

export function NewPasswordField({ label, ...props }: FieldProps & { label: string }) {
  return <TextField label={label} type="password" name="password" autoComplete="new-password" isRequired {...props} />;
}

/** Email and password of an account, as password managers fill them in. The first empty field takes the focus. */
export function CredentialFields({ email, onEmail, password, onPassword }: CredentialFieldsProps) {
  return (
    <>
      <EmailField value={email} {...(onEmail ? { onChange: onEmail, autoFocus: true } : { isReadOnly: true })} />
      <TextField
        label="Password"
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={onPassword}
        isRequired
        autoFocus={onEmail === undefined}
      />
    </>
  );
}

import { TextField } from '../look/field.tsx';

type CredentialFieldsProps = {
  email: string;
  /** Absent: the address is known, and shown for password managers. */
  onEmail?: (email: string) => void;
  password: string;
  onPassword: (password: string) => void;
};

/** Email and password of an account, as password managers fill them in. The first empty field takes the focus. */
export function CredentialFields({ email, onEmail, password, onPassword }: CredentialFieldsProps) {
  return (
    <>
      <TextField
        label="Email"
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        {...(onEmail && { onChange: onEmail })}
        isReadOnly={!onEmail}
        isRequired
        autoFocus={onEmail !== undefined}
      />
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

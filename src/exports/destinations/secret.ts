/** A credential in a destination's configuration. */
import { nullable, Type } from '../../platform/schema.ts';

/**
 * Schema of a secret: encrypted at rest, absent from responses. The pattern refuses blanks, and the asterisks of a mask that a client sent back.
 * @param options `isReadable`: forms show it while it is typed, such as the name of a user
 */
export function secret(title: string, { isReadable = false } = {}) {
  return Type.String({
    title,
    writeOnly: true,
    ...(!isReadable && { format: 'password' }),
    pattern: '[^*\\s]',
    maxLength: 4096,
    description: 'The credential; it may not be blank or consist of asterisks.',
  });
}

/** Schema of a secret that a configuration may lack. A form shows it among the fields of the connection. */
export function optionalSecret(title: string, description: string, { isReadable = false } = {}) {
  return Type.Optional({
    ...nullable(secret(title), { title, description }),
    writeOnly: true,
    ...(!isReadable && { format: 'password' }),
    'x-group': 'connection',
  });
}

/** Configuration that all file destinations have in common; the engine reads the last three when it plans and encodes. */
import { nullable, stringEnum, Type, type Static, type TSchema } from '../../schema.ts';
import { COMPRESSIONS, FILE_FORMATS } from '../contract.ts';
import { PREFIX_VARIABLES } from './keys.ts';

export const fileProperties = {
  prefix: Type.String({
    default: '',
    title: 'Prefix',
    description:
      `Folder of the files. May contain ${PREFIX_VARIABLES.join(', ')}: ` +
      'parts of the date are of the interval’s end, in UTC; {table} is the model.',
  }),
  file_format: stringEnum(FILE_FORMATS, { default: 'JSONLines', description: 'JSONLines: one event per line.' }),
  compression: withDefault(nullable(stringEnum(COMPRESSIONS, { description: 'How files are compressed.' })), null),
  max_file_size_mb: withDefault(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description:
          'Splits an interval into files of about this size before compression, numbered from 0. Empty or 0: one file, where it fits.',
      }),
    ),
    null,
  ),
};

/** A default where `nullable` takes none. */
export function withDefault<S extends TSchema>(schema: S, value: Static<S>): S {
  return { ...schema, default: value };
}

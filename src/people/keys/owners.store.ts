/** Finds owners of keys by a user's address or a project's id, for the command line. */
import type { Knex } from '../../platform/db/connection.ts';
import type { KeyOwner } from './keys.store.ts';

export function ownerStore(db: Knex) {
  return {
    async findUser(email: string): Promise<KeyOwner | undefined> {
      const row = await db<{ id: number }>('users').whereRaw('lower(email) = lower(?)', [email]).first('id');
      return row && { userId: row.id };
    },

    async findProject(id: number): Promise<KeyOwner | undefined> {
      const row = await db<{ id: number }>('projects').where({ id }).first('id');
      return row && { projectId: row.id };
    },
  };
}

export type OwnerStore = ReturnType<typeof ownerStore>;

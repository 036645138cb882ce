/** Rows of collaborators. Writers hold the project's lock (`stores.inTransaction`) and have found the dashboard in it. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../../platform/db/connection.ts';
import { userFrom, type User, type UserRow } from '../../../people/accounts/users.store.ts';
import type { Privilege } from '../restriction.ts';

export type Collaborator = {
  id: string;
  dashboard_id: number;
  user: User;
  level: Privilege;
  added_at: string;
  updated_at: string;
};

type Row = Omit<Collaborator, 'user'> & { user_id: number };

export function collaboratorStore(db: Knex) {
  const table = () => db<Row>('dashboard_collaborators');

  return {
    /** Active collaborators, in the order in which they were added. */
    async list(dashboardId: number): Promise<Collaborator[]> {
      const { rows } = await db.raw<{ rows: (Row & { person: UserRow })[] }>(
        `select collaborator.*, to_jsonb(users) as person
         from dashboard_collaborators as collaborator join users on users.id = user_id
         where dashboard_id = ? and users.is_active order by added_at, collaborator.id`,
        [dashboardId],
      );
      return rows.map(({ person, ...row }) => ({ ...row, user: userFrom(person) }));
    },

    /** Finds an active user, of any organization. */
    async findUser(uuid: string): Promise<User | undefined> {
      const row = await db<UserRow & { is_active: boolean }>('users').where({ uuid, is_active: true }).first();
      return row && userFrom(row);
    },

    /** @returns undefined when the user is a collaborator already */
    async add(dashboardId: number, user: User, level: Privilege): Promise<Collaborator | undefined> {
      const [row] = await table()
        .insert({ id: randomUUID(), dashboard_id: dashboardId, user_id: user.id, level })
        .onConflict(['dashboard_id', 'user_id'])
        .ignore()
        .returning('*');
      return row && { ...row, user };
    },

    /** @returns false when the user is not a collaborator */
    async remove(dashboardId: number, userId: number): Promise<boolean> {
      return (await table().where({ dashboard_id: dashboardId, user_id: userId }).delete()) > 0;
    },
  };
}

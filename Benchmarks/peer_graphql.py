"""The peer of `muster-bench graphql`: a thousand users in memory, by strawberry-graphql under uvicorn, one process.

It has no store and verifies no credentials, so it does less than what it is compared with.
"""

import strawberry
import uvicorn
from strawberry.asgi import GraphQL


@strawberry.type
class User:
    id: strawberry.ID
    username: str
    isSafe: bool | None


users = {name: User(id=strawberry.ID(name), username=name, isSafe=True) for name in (f"u{n}" for n in range(1_000))}


@strawberry.type
class Query:
    @strawberry.field(name="getUser")
    async def get_user(self, id: strawberry.ID) -> User | None:
        return users.get(id)


schema = strawberry.Schema(Query, config=strawberry.schema.config.StrawberryConfig(auto_camel_case=False))
uvicorn.run(GraphQL(schema), host="127.0.0.1", port=0, access_log=False)

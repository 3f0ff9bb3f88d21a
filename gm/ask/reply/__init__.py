"""From the text of a model to a value, and the schema that is sent along.

``schema`` the schema · ``extract`` finds the data and repairs their form · ``parse`` validates them against a reply of
``gm.model.replies`` and the limits of its size · ``importance`` reads numbers from 1 to 10 · ``rating`` and
``direction`` read the two short answers: numbers, and the choice of a scene.
"""

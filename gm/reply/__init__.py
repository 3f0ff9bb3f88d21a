"""From the text of a model to a value, and what the model is told of its form.

``schema`` what is sent along · ``extract`` finds the data and mends their form · ``parse`` holds them against a reply
of ``gm.model.replies`` and the limits of its size · ``importance`` what stands for a number from 1 to 10 ·
``rating`` and ``direction`` read the two short answers: numbers, and the choice of a scene.
"""
